// One service and one browser for all files about the console.

import type { TestProject } from 'vitest/node';
import { writeBusyDay } from './counted.ts';
import { openStage, type Stage } from './stage.ts';

declare module 'vitest' {
  interface ProvidedContext {
    stage: Stage;
  }
}

export default async function setStage(project: TestProject): Promise<() => Promise<void>> {
  const { close, ...stage } = await openStage(writeBusyDay);
  project.provide('stage', stage);
  return close;
}
