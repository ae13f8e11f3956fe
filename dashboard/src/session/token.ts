import { useSyncExternalStore } from 'react';

/**
 * The admin token: in memory, and in the storage of this tab so that a reload keeps it. Never in an
 * address, never where other tabs or later visits would find it.
 */
const storageName = 'sluice.token';
const listeners = new Set<() => void>();
let current = readStored();

export function currentToken(): string | null {
  return current;
}

export function setToken(token: string | null): void {
  current = token;
  try {
    if (token === null) sessionStorage.removeItem(storageName);
    else sessionStorage.setItem(storageName, token);
  } catch {
    // Storage may be switched off: then a reload asks again.
  }
  for (const listener of listeners) listener();
}

export function useToken(): string | null {
  return useSyncExternalStore(subscribe, currentToken);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readStored(): string | null {
  try {
    return sessionStorage.getItem(storageName);
  } catch {
    return null;
  }
}
