import { useLayoutEffect, useSyncExternalStore } from 'react';

/**
 * Asks before somebody leaves what they have not saved: by a link, by the browser's buttons or its
 * address, by signing out. To close the tab the browser itself asks. Where the console goes by
 * itself, as after saving or deleting, it asks nobody.
 */

/** The editors with something in them that would be lost. */
const unsaved = new Set<object>();
/** Where they are: they share a page. */
let here = '';
/** What waits for an answer. */
let asked: (() => void) | null = null;
const listeners = new Set<() => void>();

/** While it is true, whoever leaves is asked first. */
export function useUnsaved(isUnsaved: boolean): void {
  // With the layout: a page that has been left is hidden at once, and gone only when the code of the
  // next one has come.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const editor = {};
    here = location.href;
    unsaved.add(editor);
    // Only while it is needed: a page that listens is never kept for the way back.
    if (unsaved.size === 1) addEventListener('beforeunload', warn);
    return () => {
      unsaved.delete(editor);
      if (unsaved.size === 0) removeEventListener('beforeunload', warn);
    };
  }, [isUnsaved]);
}

/** At once, or as soon as it is said that what is unsaved may be lost. */
export function leaveBy(way: () => void): void {
  if (unsaved.size === 0) way();
  else ask(way);
}

/** The question that is open, if there is one. */
export function useLeaving() {
  const way = useSyncExternalStore(subscribe, () => asked);
  return {
    isAsked: way !== null,
    stay: () => ask(null),
    leave: () => {
      ask(null);
      unsaved.clear();
      removeEventListener('beforeunload', warn);
      way?.();
    },
  };
}

/** Before the page is drawn, so that nobody else hears first of where the browser has gone. */
export function watchLeaving(): void {
  addEventListener('click', holdLink, { capture: true });
  addEventListener('popstate', holdTravel, { capture: true });
}

function holdLink(event: MouseEvent): void {
  if (unsaved.size === 0 || event.button !== 0 || opensElsewhere(event)) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const { hash } = link ?? { hash: '' };
  if (hash === '' || hash === location.hash) return;
  event.preventDefault();
  event.stopPropagation();
  ask(() => (location.hash = hash));
}

function opensElsewhere({ metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return metaKey || ctrlKey || shiftKey || altKey;
}

/** The browser has gone already: its address is put back until there is an answer. */
function holdTravel(event: PopStateEvent): void {
  if (unsaved.size === 0 || location.href === here) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', here);
  ask(() => history.back());
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function ask(way: (() => void) | null): void {
  asked = way;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
