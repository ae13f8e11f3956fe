import { useSyncExternalStore } from 'react';

/** As the system says, unless somebody chose otherwise here. */
export type Theme = 'light' | 'dark';

const storageName = 'sluice.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let chosen = readChosen();

export function applyTheme(): void {
  if (chosen === null) delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

function currentTheme(): Theme {
  return chosen ?? (system.matches ? 'dark' : 'light');
}

/** Back to what the system says is forgotten, so that later changes of it are followed. */
export function toggleTheme(): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  chosen = next === (system.matches ? 'dark' : 'light') ? null : next;
  try {
    if (chosen === null) localStorage.removeItem(storageName);
    else localStorage.setItem(storageName, chosen);
  } catch {
    // Then it lasts as long as the page.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    system.addEventListener('change', listener);
    return () => {
      listeners.delete(listener);
      system.removeEventListener('change', listener);
    };
  }, currentTheme);
}

function readChosen(): Theme | null {
  try {
    const stored = localStorage.getItem(storageName);
    return stored === 'light' || stored === 'dark' ? stored : null;
  } catch {
    return null;
  }
}
