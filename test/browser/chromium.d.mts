export function findChromium(isForFigures?: boolean): string | undefined;
export function executable(): Promise<string>;
