import { Link, useLocation } from 'wouter';
import { addressOf } from '../api/request.ts';
import { groups, isFor, routes, type PageRoute } from '../routes.ts';
import type { Session } from '../session/session.ts';
import { Icon } from '../ui/Icon.tsx';

export function Navigation({ session }: { readonly session: Session }) {
  const shown = routes.filter(({ nav, audience }) => nav && isFor(audience, session));
  return (
    <nav className="nav" aria-label="Pages">
      {groups.map((group) => {
        const pages = shown.filter(({ nav }) => nav?.group === group);
        if (pages.length === 0) return null;
        return (
          <ul key={group} aria-label={group}>
            {shown.length > pages.length && (
              <li className="nav-group" aria-hidden="true">
                {group}
              </li>
            )}
            {pages.map((page) => (
              <NavLink key={page.path} page={page} />
            ))}
          </ul>
        );
      })}
      <ul className="nav-more" aria-label="More">
        <li>
          <a href={addressOf('docs').pathname}>
            <Icon name="book" />
            API reference
          </a>
        </li>
      </ul>
    </nav>
  );
}

function NavLink({ page }: { readonly page: PageRoute }) {
  const [location] = useLocation();
  if (!page.nav) return null;
  const isCurrent = location === page.path || location.startsWith(`${page.path}/`);
  return (
    <li>
      <Link href={page.path} {...(isCurrent && { 'aria-current': 'page' })}>
        <Icon name={page.nav.icon} />
        {page.nav.label}
      </Link>
    </li>
  );
}
