// Another process on an embedded database: opens its folder, writes rows and reports each of them.

import { migrate, openDatabase } from '../../platform/src/database/index.ts';
import type { ChildReport } from './processes.ts';

process.once('disconnect', () => process.exit(1));

const [folder = '', work = ''] = process.argv.slice(2);

try {
  const database = await openDatabase({ folder });
  report({ kind: 'opened' });
  if (work === 'write') {
    await migrate(database);
    for (let number = 0; ; number++) {
      await database.db
        .insertInto('settings')
        .values({ name: `row-${number}`, value: 'v' })
        .execute();
      report({ kind: 'wrote', number });
    }
  }
} catch (error) {
  report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
}

function report(said: ChildReport): void {
  process.send?.(said);
}
