/** The commit that the folder of a project is of; null if it is no clone, and nothing was written. */
export function commitOf(folder: string): string | null;
