import { hash } from 'node:crypto';

/** Tells subjects apart without naming them; the same one has another in another tenant. */
export type SubjectHash = (tenant: string, subject: string) => string;

/** 132 bits: no two subjects share one. */
const hashLength = 22;

/** The same on every node, and meaningless to who does not have the secret. */
export function subjectHashUnder(secret: string): SubjectHash {
  const start = `${secret.length}:${secret}`;
  return (tenant, subject) => {
    const text = `${start}${tenant.length}:${tenant}${subject}`;
    return hash('sha256', text, 'base64url').slice(0, hashLength);
  };
}
