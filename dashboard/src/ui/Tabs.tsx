import { useId, type KeyboardEvent, type ReactNode } from 'react';

export type Tab<Id extends string> = { readonly id: Id; readonly label: ReactNode };

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** One of several views. Arrow keys move between them, as the pattern for tabs asks. */
export function Tabs<Id extends string>({
  label,
  tabs,
  current,
  onChange,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly current: Id;
  readonly onChange: (id: Id) => void;
  readonly children: ReactNode;
}) {
  const prefix = useId();
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current);
    const last = tabs.length - 1;
    const step = steps[event.key] ?? 0;
    const jump = event.key === 'Home' ? 0 : event.key === 'End' ? last : null;
    const next = tabs[jump ?? (at + step + tabs.length) % tabs.length];
    if (!next || next.id === current) return;
    event.preventDefault();
    onChange(next.id);
    document.getElementById(`${prefix}-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div className="tab-list" role="tablist" aria-label={label}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${prefix}-${tab.id}`}
            aria-selected={tab.id === current}
            aria-controls={`${prefix}-panel`}
            tabIndex={tab.id === current ? 0 : -1}
            onClick={() => onChange(tab.id)}
            onKeyDown={move}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`${prefix}-panel`}
        aria-labelledby={`${prefix}-${current}`}
      >
        {children}
      </div>
    </div>
  );
}
