const subjectCount = 10_000;
const defaults = { resource: 'GET:/orders' };

/** One check each, of as many subjects. */
export function singleBodies({
  fields = defaults,
  count = subjectCount,
}: { readonly fields?: object; readonly count?: number } = {}): string[] {
  return Array.from({ length: count }, (_, at) => JSON.stringify({ ...fields, ...checkOf(at) }));
}

/** Many checks each: the same subjects, each body beginning with another one. */
export function batchBodies(checksPerCall: number): string[] {
  return Array.from({ length: subjectCount / checksPerCall }, (_, call) => {
    const from = call * checksPerCall;
    const checks = Array.from({ length: checksPerCall }, (__, at) => ({
      ...defaults,
      ...checkOf(from + at),
    }));
    return JSON.stringify({ checks });
  });
}

function checkOf(at: number) {
  return { subject: `user-${String(at).padStart(6, '0')}` };
}
