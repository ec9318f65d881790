import { IconCheck, IconMinus } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';
import './check.css';

type Props = Omit<ComponentPropsWithRef<'button'>, 'role'> & { label: string; checked: boolean | 'mixed' };

/** A box to tick that is no field to type in: the keys of the table go on working from it. */
export const Check = ({ label, checked, ...rest }: Props) => (
  <button type="button" role="checkbox" className="check" aria-checked={checked} aria-label={label} {...rest}>
    <span className="check-box">
      {checked === true && <IconCheck size={12} stroke={3} aria-hidden />}
      {checked === 'mixed' && <IconMinus size={12} stroke={3} aria-hidden />}
    </span>
  </button>
);
