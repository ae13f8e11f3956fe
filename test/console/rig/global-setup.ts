// One service and one browser for all files about the console.

import type { TestProject } from 'vitest/node';
import { openStage, type Stage } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stage: Stage;
  }
}

export default async function setStage(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...stage } = await openStage(async (folder) => {
    // Not before the stage is built: here the library is found by what it compiles to.
    const { writeBusyDay } = await import('./counted.ts');
    await writeBusyDay(folder);
  });
  project.provide('stage', stage);
  return close;
}
