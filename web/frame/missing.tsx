import { Button } from '@mantine/core';
import { Empty } from '../ui/parts.tsx';

export const Missing = () => (
  <Empty
    title="There is nothing here."
    action={
      <Button component="a" href="/">
        Go to your desk
      </Button>
    }
  >
    The address may be old, or it leads to something that you may not see.
  </Empty>
);
