import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { rlsPlans } from './rls-plans.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

/** The command line. Returns the exit code. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('sluice')
    .description('Rate limits as a service.')
    .version(version)
    .exitOverride();
  program
    .command('serve', { isDefault: true })
    .description('Serve the API. Settings come from the environment; see docs/configuration.md.')
    .option('--workers <count>', 'processes that serve; more than one needs Redis and PostgreSQL')
    .action(async ({ workers }: { workers?: string }) => {
      exitCode = await serve(workers === undefined ? {} : { SLUICE_WORKERS: workers });
    });
  program
    .command('rls-plans <folder>')
    .description(
      "Print the domains of a folder of Envoy's reference service as plans; see docs/envoy.md.",
    )
    .option(
      '--apply <url>',
      'make or change a tenant of each name in the service there, by SLUICE_ADMIN_TOKEN',
    )
    .action(async (folder: string, { apply }: { apply?: string }) => {
      const say = (line: string) => void process.stdout.write(`${line}\n`);
      await rlsPlans(folder, { url: apply, token: process.env['SLUICE_ADMIN_TOKEN'], say });
    });
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
  return exitCode;
}

/** What went wrong in words; where our own code broke, the place too. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  return error.name === 'Error' ? error.message : (error.stack ?? error.message);
}
