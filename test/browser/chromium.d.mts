export function findChromium(isForFigures?: boolean): string | undefined;
export function executable(isForFigures?: boolean): Promise<string>;
