import { useEffect, useRef, useState } from 'react';
import type { Demo, DemoPlan } from '../../../api/objects.ts';
import type { Answer, OpenCall } from './answer.ts';
import { ask, checkOf, release } from './ask.ts';
import { paceCalls, sleep } from './pace.ts';
import type { BurstSettings } from './settings.ts';

/** As many as fit on a screen. */
const answersMax = 120;

export type Burst = {
  readonly answers: readonly Answer[];
  readonly openCalls: readonly OpenCall[];
  readonly isRunning: boolean;
  readonly error: unknown;
  readonly fire: (settings: BurstSettings) => Promise<void>;
  readonly stop: () => void;
};

/** Bursts of one subject at one plan, and all that came back. */
export function useBurst({ key }: Demo, plan: DemoPlan, subject: string): Burst {
  const [answers, setAnswers] = useState<readonly Answer[]>([]);
  const [openCalls, setOpenCalls] = useState<readonly OpenCall[]>([]);
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController>(null);
  const counts = useRef({ answers: 0, bursts: 0 });
  useEffect(() => () => running.current?.abort(), []);

  const keepOpen = async (ticket: string, holdMs: number, signal: AbortSignal) => {
    const sinceMs = Date.now();
    setOpenCalls((open) => [...open, { ticket, sinceMs, untilMs: sinceMs + holdMs }]);
    await sleep(holdMs, signal);
    await release(key, ticket);
    setOpenCalls((open) => open.filter((call) => call.ticket !== ticket));
  };

  const fire = async (settings: BurstSettings) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    counts.current.bursts += 1;
    const burst = counts.current.bursts;
    const check = checkOf(plan.id, subject, settings.cost);
    const call = async () => {
      const told = await ask({ key, check }, signal);
      counts.current.answers += 1;
      const answer = { ...told, number: counts.current.answers, burst };
      setAnswers((before) => [...before.slice(1 - answersMax), answer]);
      if (told.decision.ticket !== null) {
        await keepOpen(told.decision.ticket, settings.holdMs, signal);
      }
    };
    setError(null);
    setIsRunning(true);
    await paceCalls(settings, call, signal).catch((failure: unknown) => {
      if (!signal.aborted) setError(failure);
      controller.abort();
    });
    setIsRunning(false);
  };

  return { answers, openCalls, isRunning, error, fire, stop: () => running.current?.abort() };
}
