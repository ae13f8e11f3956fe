import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

const secretBytes = 32;

/** A random secret that is the same on all nodes: whichever asks first makes it. */
export async function sharedSecret(db: Kysely<Tables>, name: string): Promise<string> {
  const known = await findSetting(db, name);
  if (known !== undefined) return known;
  await db
    .insertInto('settings')
    .values({ name, value: randomBytes(secretBytes).toString('base64url') })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const made = await findSetting(db, name);
  if (made === undefined) throw new Error(`the setting ${name} was removed while it was made`);
  return made;
}

/** True for the one node, of all and for ever, that asks first. */
export async function isFirst(db: Kysely<Tables>, name: string): Promise<boolean> {
  const made = await db
    .insertInto('settings')
    .values({ name, value: new Date().toISOString() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst();
  return made !== undefined;
}

async function findSetting(db: Kysely<Tables>, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.value;
}
