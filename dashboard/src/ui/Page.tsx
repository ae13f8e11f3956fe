import { useEffect, useRef, type ReactNode } from 'react';

/** The first page is read from its top; each later one from its heading. */
let isFirst = true;

export function Page({
  title,
  about,
  actions,
  back,
  children,
}: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** A link to where this page was reached from. */
  readonly back?: ReactNode;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
    window.scrollTo({ top: 0 });
  }, []);
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {back !== undefined && <p className="page-back">{back}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {about !== undefined && <p className="page-about">{about}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
