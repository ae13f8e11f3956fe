/** For a change without a body: only if it is still as it was loaded. */
export function ifMatch({ version }: { readonly version: number }) {
  return { headers: { 'if-match': `"${version}"` } };
}
