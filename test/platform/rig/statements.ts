import type { PostgresServer } from '../../servers/postgres.ts';

/** Settings under which a PostgreSQL writes down every statement and who sent it. */
export const statementLog = { log_statement: 'all', log_line_prefix: '%a|' } as const;

const begin = /^sluice\|LOG: {2}(?:statement|execute [^:]*): /;

/** The statements that nodes sent while something was done, as the server saw them. */
export async function statementsDuring(
  server: PostgresServer,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const before = (await server.readLog()).length;
  await work();
  return statementsIn((await server.readLog()).slice(before));
}

function statementsIn(log: string): string[] {
  const statements: string[] = [];
  let inStatement = false;
  for (const line of log.split('\n')) {
    if (begin.test(line)) statements.push(line.replace(begin, ''));
    else if (inStatement && line.startsWith('\t')) {
      statements.push(`${statements.pop() ?? ''} ${line.trim()}`);
    }
    inStatement = begin.test(line) || (inStatement && line.startsWith('\t'));
  }
  return statements;
}

/** What a node asks on its own, every second or so, however many checks there are. */
const background = [
  /pg_snapshot_xmin/,
  /from "api_keys" where "imported"/,
  /from "tenant_epochs".*"published_epoch" < "epoch"/,
  /from "shared_epoch"/i,
  /FROM publications WHERE finished_at IS NULL/,
  /UPDATE publications SET/,
  /UPDATE shared_epoch SET published_epoch/,
  /from "tenant_epochs" where "deleted"/,
  /ledger_positions|ledger_sweep|usage_counts|tenant_moves|"pools"/,
  /last_used_at/,
  /quota_usage|quota_events|webhook_deliveries/,
  /receipts|erasures/,
  /rollout_/,
  /^(begin|commit|rollback)\b/i,
];

/** Without what a node does in the background: what checks and changes caused. */
export function withoutBackground(statements: readonly string[]): string[] {
  return statements.filter((statement) => !background.some((pattern) => pattern.test(statement)));
}
