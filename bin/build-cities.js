// Writes the names of the time zones' cities in our languages from Unicode's CLDR, where they differ from the
// zone's own name. Unpack the package cldr-dates-full (99 MB, so that it is no dependency), and then:
// node bin/build-cities.js <its folder>
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
const languages = ['en', 'de', 'es', 'fr', 'ja', 'pt', 'zh'];

/** CLDR nests zones by the parts of their names; those below `zone` have a city. */
function* cities(tree, path = []) {
  for (const [name, below] of Object.entries(tree)) {
    if (typeof below !== 'object') continue;
    const zone = [...path, name];
    if (below.exemplarCity !== undefined) yield [zone.join('/'), below.exemplarCity];
    else yield* cities(below, zone);
  }
}

const names = languages.map((language) => {
  const file = join(folder, 'main', language, 'timeZoneNames.json');
  const { zone } = JSON.parse(readFileSync(file, 'utf8')).main[language].dates.timeZoneNames;
  const own = [...cities(zone)].filter(
    ([name, city]) => name.includes('/') && !name.startsWith('Etc/') && city !== plainCity(name),
  );
  return [language, Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)))];
});

function plainCity(zone) {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

const target = join(import.meta.dirname, '../src/digests/schedule/cities.json');
writeFileSync(target, `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`);
