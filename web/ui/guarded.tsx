import { Tooltip } from '@mantine/core';
import type { ComponentProps } from 'react';
import { Button } from './button.tsx';

type Props = ComponentProps<typeof Button> & {
  may: boolean;
  /** Who may, as a sentence. */
  who: string;
};

/** A button that tells those who may not who may. The keyboard reaches it, so that it can. */
export const GuardedButton = ({ may, who, onClick, ...rest }: Props) => (
  <Tooltip label={who} disabled={may} events={{ hover: true, focus: true, touch: true }}>
    <Button {...rest} aria-disabled={!may} onClick={(event) => may && onClick?.(event)} />
  </Tooltip>
);
