import { Worker } from 'node:worker_threads';
import { readSource, type SourceRead } from './yaml-source.mjs';

const workerUrl = new URL('./yaml-source.mjs', import.meta.url);
/** What is read as fast as a thread is started. */
const shortLength = 2000;

/** Reads YAML beside whatever else this process has to do, in the order of the texts. */
export async function readTexts(texts: readonly string[]): Promise<readonly SourceRead[]> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= shortLength) return texts.map(readSource);
  // Not the options this process was started with: what loads TypeScript or traces has no place.
  const worker = new Worker(workerUrl, { workerData: { rlsTexts: texts }, execArgv: [] });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('the thread that reads YAML ended')));
    });
  } finally {
    await worker.terminate();
  }
}
