/** `hookporter/lambda`: a receiver as an AWS Lambda function. Re-exports only. */
export type { LambdaAnswer } from "../receiver/adapters/lambda/answer.ts";
export type { LambdaRequest } from "../receiver/adapters/lambda/request.ts";
export {
  type LambdaContext,
  type LambdaDrainHandler,
  type LambdaDrainOptions,
  type LambdaHandler,
  type LambdaReceiverOptions,
  lambdaDrain,
  lambdaReceiver,
} from "../receiver/adapters/lambda.ts";
