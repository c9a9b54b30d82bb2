/**
 * Sets the variables that a secret of AWS Secrets Manager holds, a JSON object with
 * `HOOKPORTER_SECRET` and `DATABASE_URL`, so that the function's own settings, which more people
 * may read, have neither. On this machine `.env` has them.
 */
export async function loadSecrets(): Promise<void> {
  const SecretId = process.env.SECRETS_ARN;
  if (!SecretId) return;
  const { GetSecretValueCommand, SecretsManagerClient } = await import(
    "@aws-sdk/client-secrets-manager"
  );
  const { SecretString = "{}" } = await new SecretsManagerClient().send(
    new GetSecretValueCommand({ SecretId }),
  );
  Object.assign(process.env, JSON.parse(SecretString));
}
