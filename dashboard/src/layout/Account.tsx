import { Link } from 'wouter';
import { useObject } from '../api/queries.ts';
import type { Me, Tenant } from '../api/objects.ts';
import { leaveBy } from '../leaving/leaving.ts';
import { signOut, type Session } from '../session/session.ts';
import { Icon } from '../ui/Icon.tsx';
import { toggleTheme, useTheme } from './theme.ts';

/** Who is signed in, and how the page looks. */
export function Account({ session }: { readonly session: Session }) {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <div className="account">
      {session.me ? <Who me={session.me} /> : <SignInLink />}
      <button type="button" className="icon-button" onClick={toggleTheme}>
        <Icon name={theme === 'dark' ? 'sun' : 'moon'} label={`Switch to ${other}`} />
      </button>
      {session.me && (
        <button type="button" className="icon-button" onClick={() => leaveBy(signOut)}>
          <Icon name="signOut" label="Sign out" />
        </button>
      )}
    </div>
  );
}

function Who({ me }: { readonly me: Me }) {
  const { data: tenant } = useObject<Tenant>('tenants', me.tenant_id);
  return (
    <p className="who">
      <strong>{tenant?.name ?? me.name}</strong>
      <span className="quiet">{me.tenant_id === null ? me.role : `${me.role} of this tenant`}</span>
    </p>
  );
}

function SignInLink() {
  return (
    <Link href="/sign-in" className="button button-secondary button-medium">
      Sign in
    </Link>
  );
}
