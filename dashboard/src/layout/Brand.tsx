import { Link } from 'wouter';

export function Brand() {
  return (
    <Link href="/" className="brand">
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <rect className="brand-ground" width="24" height="24" rx="6" />
        <path className="brand-posts" d="M7 5.5v13M17 5.5v13" />
        <path className="brand-water" d="M7 10h10M7 14.5h10" />
      </svg>
      Sluice
    </Link>
  );
}
