import { Button, Tooltip, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';

type Props = ButtonProps &
  Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> & {
    may: boolean;
    /** Who may, as a sentence. */
    who: string;
  };

/** A button that tells those who may not who may. The keyboard reaches it, so that it can. */
export const GuardedButton = ({ may, who, onClick, ...rest }: Props) => (
  <Tooltip label={who} disabled={may} events={{ hover: true, focus: true, touch: true }}>
    <Button
      {...rest}
      {...(!may && { 'aria-disabled': true, 'data-disabled': true })}
      onClick={(event) => may && onClick?.(event)}
    />
  </Tooltip>
);
