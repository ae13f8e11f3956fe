import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

export type SecretOf = { readonly id: string; readonly secretNumber: number };

/** Derived, so that nobody finds it in the database; the next number makes another. */
export function webhookSecret(serverSecret: string, { id, secretNumber }: SecretOf): string {
  return `${prefix}${keyOf(serverSecret, { id, secretNumber }).toString('base64')}`;
}

/** As Standard Webhooks spells it: what was sent, by whom, and when. */
export function signatureOf(
  serverSecret: string,
  webhook: SecretOf,
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const { id, timestamp, body } = message;
  const signed = createHmac('sha256', keyOf(serverSecret, webhook)).update(
    `${id}.${timestamp}.${body}`,
  );
  return `v1,${signed.digest('base64')}`;
}

function keyOf(serverSecret: string, { id, secretNumber }: SecretOf): Buffer {
  return createHmac('sha256', serverSecret).update(`${id}:${secretNumber}`).digest();
}
