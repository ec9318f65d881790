import { Component, lazy, type ComponentType, type ReactNode } from 'react';

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

/** The same, when it is first shown. Should it fail to come, the page around it stays. */
export function withKit<Props extends object>(
  load: Load<Props>,
  instead: ReactNode | ((props: Props) => ReactNode) = UNLOADED,
) {
  const Part = lazy(() => loadWithKit(load));
  return (props: Props) => (
    <Unharmed instead={typeof instead === 'function' ? instead(props) : instead}>
      <Part {...props} />
    </Unharmed>
  );
}

const UNLOADED = (
  <p className="dim" role="alert">
    This part could not be loaded. Reload the page when it suits you.
  </p>
);

/** Shows something else where a part fails to come. */
export class Unharmed extends Component<{ instead: ReactNode; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
