/** Titles that somebody could try, each by what it tries. */
export const hostileTitles: Record<string, string> = {
  'right-to-left override': 'invoice\u202egpj.exe',
  'isolates and embeddings': '\u2067\u2066\u202a\u202babc\u2069',
  'zero-width': 'Fr\u200bee\u200d \u2060Nit\ufeffro',
  'only invisible': '\u200b\u2800\u3164\u00ad',
  zalgo: `Z${'\u0300\u0301\u0302\u0303\u0304\u0305'.repeat(60)}algo`,
  'lone surrogates': '\ud800a\udc00b\udfff',
  control: 'a\u0000b\u0007c\u001b[31md\u0085e',
  'line breaks': 'one\r\ntwo\u2028three\u2029four\vfive',
  headings: '# Heading\n-# small\n> quote\n- item\n1. item',
  emphasis: '**bold** __under__ ~~gone~~ ||spoiler|| *it* `code`',
  'code fence': '```js\nalert(1)\n```',
  'masked link': '[https://discord.com/nitro](https://evil.example)',
  'angle link': '<https://evil.example> https://evil.example',
  everyone: '@everyone @here',
  mentions: '<@1> <@!1> <@&1> <#1> </post:1> <:a:1> <t:0:R> <id:home>',
  backslashes: '\\\\\\ \\@everyone \\[a\\](b)',
  message: '{title} {0} %s ${process.env.A} {{x}}',
  'ICU and quotes': "'{' it''s {count, plural, other {#}}",
  html: '<script>alert(1)</script><img src=x onerror=alert(1)>',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈👍🏿'.repeat(30),
  wide: '﷽'.repeat(300),
  megabyte: 'A'.repeat(1_000_000),
};

/** Links that parse, and would like to look like something else or to break a layout. */
export const hostileLinks: Record<string, string> = {
  punycode: 'https://аpple.com/',
  'markdown in the path': 'https://evil.example/](https://good.example)',
  backticks: 'https://evil.example/`a`?b=`c`',
  'angle brackets': 'https://evil.example/<@1>/@everyone',
  'right-to-left': 'https://evil.example/\u202egpj.exe',
  'long host': `https://${Array.from({ length: 4 }, () => 'a'.repeat(58)).join('.')}.example/`,
  'long path': `https://evil.example/${'a'.repeat(900)}`,
  parentheses: 'https://evil.example/a)(b)))',
  'encoded line feeds': 'https://evil.example/a%0A%0D%00b',
};
