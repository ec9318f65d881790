import type { ComponentPropsWithRef, ReactNode } from 'react';
import './button.css';

type Props = ComponentPropsWithRef<'button'> & {
  /** The one thing to do here, one of several, or what cannot be undone. */
  variant?: 'filled' | 'default' | 'danger';
  size?: 'compact' | 'xs' | 'sm' | 'md';
  /** Asked for, and not answered yet. It is not disabled meanwhile: that would take the keyboard away from it. */
  loading?: boolean;
  leftSection?: ReactNode;
  rightSection?: ReactNode;
};

export const Button = ({
  variant = 'filled',
  size = 'sm',
  loading = false,
  leftSection,
  rightSection,
  className = '',
  onClick,
  children,
  ...rest
}: Props) => (
  <button
    type="button"
    className={`button ${variant} ${size} ${className}`}
    aria-busy={loading}
    onClick={loading ? (event) => event.preventDefault() : onClick}
    {...rest}
  >
    {leftSection}
    <span>{children}</span>
    {rightSection}
  </button>
);

type IconProps = ComponentPropsWithRef<'button'> & { label: string };

export const IconButton = ({ label, className = '', ...rest }: IconProps) => (
  <button type="button" className={`icon-button ${className}`} aria-label={label} {...rest} />
);

type LinkProps = ComponentPropsWithRef<'a'> & Pick<Props, 'variant'>;

/** Leads somewhere, and looks like what it stands among. */
export const ButtonLink = ({ variant = 'filled', ...rest }: LinkProps) => (
  <a className={`button ${variant}`} {...rest} />
);

/** Within a sentence. */
export const TextButton = (props: ComponentPropsWithRef<'button'>) => (
  <button type="button" className="link" {...props} />
);
