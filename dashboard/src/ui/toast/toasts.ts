import { useSyncExternalStore } from 'react';

export type Toast = {
  readonly id: number;
  readonly text: string;
  readonly kind: 'done' | 'failed';
};

const shownMax = 4;
const doneMs = 6000;
const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let nextId = 1;

function update(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function dismiss(id: number): void {
  update(toasts.filter((toast) => toast.id !== id));
}

function add(text: string, kind: Toast['kind']): void {
  const id = nextId;
  nextId += 1;
  update([...toasts.slice(1 - shownMax), { id, text, kind }]);
  // What failed stays until somebody has read it.
  if (kind === 'done') setTimeout(() => dismiss(id), doneMs);
}

export const toast = {
  say: (text: string) => add(text, 'done'),
  fail: (text: string) => add(text, 'failed'),
};

/** A word about what was done, also for who does not see it. */
export function useToast(): typeof toast {
  return toast;
}

export function useToasts(): readonly Toast[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
}
