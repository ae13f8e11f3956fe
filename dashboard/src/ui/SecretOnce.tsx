import { Code } from './Code.tsx';
import { Icon } from './Icon.tsx';

/** A secret that was just made. It lives in this page only, until it is left. */
export function SecretOnce({ secret, label }: { readonly secret: string; readonly label: string }) {
  return (
    <div className="stack">
      <p className="notice tone-warning">
        <Icon name="alert" />
        Copy it now: it is shown once, and nobody can look it up later.
      </p>
      <Code text={secret} label={label} />
    </div>
  );
}
