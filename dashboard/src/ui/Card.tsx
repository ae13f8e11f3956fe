import { useId, type ReactNode } from 'react';

/** A part of a page with a heading of its own. */
export function Card({
  title,
  about,
  actions,
  flush = false,
  className = '',
  children,
}: {
  readonly title?: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** Content reaches the edges, as a table does. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      className={`card ${flush ? 'is-flush' : ''} ${className}`}
      {...(title !== undefined && { 'aria-labelledby': id })}
    >
      {title !== undefined && (
        <header className="card-head">
          <div>
            <h2 id={id}>{title}</h2>
            {about !== undefined && <p className="quiet">{about}</p>}
          </div>
          {actions !== undefined && <div className="actions">{actions}</div>}
        </header>
      )}
      <div className="card-body">{children}</div>
    </section>
  );
}
