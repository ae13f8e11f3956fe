import { useEffect, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { Session } from '../session/session.ts';
import { LeaveDialog } from '../leaving/LeaveDialog.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Toasts } from '../ui/toast/Toasts.tsx';
import { Brand } from './Brand.tsx';
import { Navigation } from './Navigation.tsx';
import { Account } from './Account.tsx';

/** What stands around every page. On a small screen the navigation is behind a button. */
export function Shell({
  session,
  children,
}: {
  readonly session: Session;
  readonly children: ReactNode;
}) {
  // Where it was opened: on the next page it is closed again.
  const [openAt, setOpenAt] = useState<string | null>(null);
  const [location] = useLocation();
  const isOpen = openAt === location;
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpenAt(null);
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  return (
    <div className="shell">
      <button
        type="button"
        className="skip"
        onClick={() => document.getElementById('content')?.focus()}
      >
        Skip to the content
      </button>
      <header className="top-bar">
        <Brand />
        <button
          type="button"
          className="icon-button"
          aria-expanded={isOpen}
          aria-controls="sidebar"
          onClick={() => setOpenAt(isOpen ? null : location)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} size={20} label="Navigation" />
        </button>
      </header>
      <aside id="sidebar" aria-label="Sidebar" className={`sidebar ${isOpen ? 'is-open' : ''}`}>
        <div className="sidebar-brand">
          <Brand />
        </div>
        <Navigation session={session} />
        <Account session={session} />
      </aside>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      <LeaveDialog />
    </div>
  );
}
