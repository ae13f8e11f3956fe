import type { ButtonHTMLAttributes } from 'react';
import { Icon, type IconName } from './Icon.tsx';

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly variant?: 'primary' | 'secondary' | 'quiet' | 'danger';
  readonly size?: 'small' | 'medium';
  readonly icon?: IconName;
  /** Under way: it says so, and takes no second click. */
  readonly busy?: boolean;
};

export function Button(props: ButtonProps) {
  const {
    variant = 'secondary',
    size = 'medium',
    icon,
    busy = false,
    className = '',
    type = 'button',
    onClick,
    children,
    ...rest
  } = props;
  return (
    <button
      {...rest}
      // Not `disabled`: that would drop the focus of who has just pressed it.
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      type={type}
      className={`button button-${variant} button-${size} ${busy ? 'is-busy' : ''} ${className}`}
    >
      {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
