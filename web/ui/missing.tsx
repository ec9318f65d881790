import { Empty } from '../ui/parts.tsx';

export const Missing = () => (
  <Empty
    title="There is nothing here."
    action={
      <a className="button filled" href="/">
        Go to your desk
      </a>
    }
  >
    The address may be old, or it leads to something that you may not see.
  </Empty>
);
