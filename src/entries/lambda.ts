/** `hookporter/lambda`: a receiver as an AWS Lambda function. Re-exports only. */
export type { LambdaAnswer } from "../adapters/lambda/answer.ts";
export type { LambdaRequest } from "../adapters/lambda/request.ts";
export {
  type LambdaContext,
  type LambdaDrainHandler,
  type LambdaDrainOptions,
  type LambdaHandler,
  type LambdaReceiverOptions,
  lambdaDrain,
  lambdaReceiver,
} from "../adapters/lambda.ts";
