import { Empty } from '../ui/parts.tsx';
import { ButtonLink } from './button.tsx';

export const Missing = () => (
  <Empty isPage title="There is nothing here." action={<ButtonLink href="/">Go to your desk</ButtonLink>}>
    The address may be old, or it leads to something that you may not see.
  </Empty>
);
