import { shownRedisUrl } from './redis-url.ts';
import { contradictions } from './settings/contradictions.ts';
import { fileSetting, readFile, unknownVariables, type Variables } from './settings/file.ts';
import { settings, type Config } from './settings/table.ts';

export type { Config } from './settings/table.ts';
export type { Address } from './settings/values.ts';

/** The settings are wrong; the message says which, and what to do, for all of them at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The settings are not usable:', ...problems.map((line) => `  ${line}`)].join('\n'));
    this.problems = problems;
  }
}

/** The environment beats the file, the file beats the defaults. An empty variable is none. */
export function readConfig(env: Variables, filePath = env[fileSetting]): Config {
  const problems = unknownVariables(env);
  const fromFile = filePath ? readFile(filePath, problems) : {};
  const entries = Object.entries(settings).map(([property, setting]) => {
    const text = env[setting.name] || fromFile[setting.name] || setting.fallback;
    if (text === null) return [property, null];
    try {
      return [property, setting.parse(text)];
    } catch (error) {
      problems.push(`${setting.name} ${error instanceof Error ? error.message : String(error)}`);
      return [property, null];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  problems.push(...contradictions(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

/** What each setting is, for the log: nobody's secret. */
export function redacted(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(settings).map(([property, { name, shown }]) => {
      const value = config[property as keyof Config];
      if (value === null || shown === 'plain') return [name, value];
      if (typeof value !== 'string' || shown === 'secret') return [name, '(set)'];
      return [name, shown === 'redis' ? shownRedisUrl(value) : withoutPassword(value)];
    }),
  );
}

/** The table, for the documentation. */
export const settingDocs: readonly {
  readonly name: string;
  readonly fallback: string | null;
  readonly doc: string;
}[] = Object.values(settings).map(({ name, fallback, doc }) => ({ name, fallback, doc }));

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  // Some put secrets into the query too.
  for (const name of new Set(shown.searchParams.keys())) shown.searchParams.set(name, '***');
  return shown.href;
}
