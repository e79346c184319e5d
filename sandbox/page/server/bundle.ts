import { build } from 'esbuild';

type Bundle = { js: string; css: string };

/**
 * The page's code and its styles, each in one file, put together when they are asked for: nobody has
 * to build anything, and a reload shows what was changed. Requests in the same moment share the work.
 */
export function bundler(entry: string): () => Promise<Bundle> {
  let building: Promise<Bundle> | undefined;
  return () => {
    building ??= bundle(entry).finally(() => {
      building = undefined;
    });
    return building;
  };
}

async function bundle(entry: string): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    outdir: 'page',
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const text = (end: string): string =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { js: text('.js'), css: text('.css') };
}
