export function findChromium(isForFigures?: boolean): string | undefined;
