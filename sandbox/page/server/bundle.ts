import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../browser/main.ts', import.meta.url));

let building: Promise<string> | undefined;

/**
 * The page's code in one file, put together when it is asked for: nobody has to build anything, and
 * a reload shows what was changed. Requests in the same moment share the work.
 */
export function bundlePage(): Promise<string> {
  building ??= bundle().finally(() => {
    building = undefined;
  });
  return building;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}
