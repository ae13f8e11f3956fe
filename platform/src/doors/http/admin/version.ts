import { InvalidInput } from 'sluice';

const tagPattern = /^"?([1-9][0-9]{0,9})"?$/;

/** The version that a change expects, from its body, its address or `If-Match`; null is any. */
export function expectedVersionOf({
  ifMatch,
  named,
}: {
  readonly ifMatch: string | undefined;
  /** Wherever else it may stand. */
  readonly named: readonly (number | undefined)[];
}): number | null {
  const given = named.filter((version) => version !== undefined);
  if (ifMatch !== undefined && ifMatch.trim() !== '*') given.push(versionOfTag(ifMatch.trim()));
  const [first = null, ...others] = given;
  if (others.some((version) => version !== first)) {
    throw new InvalidInput('version', 'is given twice, and not the same');
  }
  return first;
}

function versionOfTag(tag: string): number {
  const match = tagPattern.exec(tag);
  if (!match) throw new InvalidInput('if-match', 'must be one version, such as "3"');
  return Number(match[1]);
}
