import { lazy, type ComponentType } from 'react';

type Load<Props> = () => Promise<ComponentType<Props>>;

/** What is made of the kit's components comes together with the kit. */
export async function loadWithKit<Props extends object>(load: Load<Props>) {
  const [{ Kit }, Part] = await Promise.all([import('./kit.tsx'), load()]);
  const Whole = (props: Props) => (
    <Kit>
      <Part {...props} />
    </Kit>
  );
  return { default: Whole };
}

/** The same, when it is first shown. */
export const withKit = <Props extends object>(load: Load<Props>) => lazy(() => loadWithKit(load));
