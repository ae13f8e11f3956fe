import { readFolder } from './folder.ts';
import { readTexts } from './read-texts.ts';
import { buildConfig, type ReadFile, type RlsConfig } from './tree.ts';

/** A folder as it is now, once. */
export async function readRlsFolder(folder: string): Promise<RlsConfig> {
  const files = await readFolder(folder);
  const reads = await readTexts(files.map(({ text }) => text));
  const read = files.map(({ name }, at) => ({ name, read: reads[at] }) as ReadFile);
  return buildConfig(read, { isMerging: true });
}
