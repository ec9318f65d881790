import type { ComponentPropsWithRef, ReactNode } from 'react';

type Props = ComponentPropsWithRef<'button'> & {
  /** The one thing to do here, or one of several. */
  variant?: 'filled' | 'default';
  size?: 'compact' | 'sm' | 'md';
  /** Asked for, and not answered yet. */
  loading?: boolean;
  leftSection?: ReactNode;
  rightSection?: ReactNode;
};

export function Button({
  variant = 'filled',
  size = 'sm',
  loading = false,
  disabled,
  leftSection,
  rightSection,
  className = '',
  children,
  ...rest
}: Props) {
  return (
    <button
      type="button"
      className={`button ${variant} ${size} ${className}`}
      disabled={disabled || loading}
      aria-busy={loading}
      {...rest}
    >
      {leftSection}
      {children}
      {rightSection}
    </button>
  );
}
