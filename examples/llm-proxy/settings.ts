/** From the environment; without a default it must be there. */
export function setting(name: string, byDefault?: string): string {
  const value = process.env[name] ?? byDefault;
  if (value === undefined) throw new Error(`${name} is not set; see the README of this example.`);
  return value;
}
