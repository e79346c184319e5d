/**
 * Sites, and the other hosts that show their pages under the same paths: second domains, and hosts that
 * mend Discord's previews or show a page without its scripts. Each host stands with all below it.
 * A link to one of them is the same page as the site's own, and a block of the site holds for it.
 */
export const otherNames: readonly [site: string, hosts: string][] = [
  [
    'x.com',
    'twitter.com vxtwitter.com fxtwitter.com fixupx.com fixvx.com twittpr.com girlcockx.com stupidpenisx.com ' +
      'cunnyx.com hitlerx.com skibidix.com xeezz.com twitterez.com xcancel.com lightbrd.com twiiit.com ' +
      'nitter.net nitter.poast.org nitter.privacydev.net nitter.privacyredirect.com nitter.tiekoetter.com ' +
      'twitfix.com pxtwitter.com sxtwitter.com ayytwitter.com twxtter.com unofficialbird.com ' +
      'nitter.space nitter.kareem.one nitter.catsarch.com nuku.trabun.org',
  ],
  [
    'tiktok.com',
    'vxtiktok.com tnktok.com tfxktok.com kktiktok.com tiktokez.com tiktxk.com fixtiktok.com fxtiktok.com',
  ],
  [
    'instagram.com',
    'instagr.am ddinstagram.com kkinstagram.com vxinstagram.com uuinstagram.com oginstagram.com ' +
      'eeinstagram.com zzinstagram.com toinstagram.com kirkstagram.com fxstagram.com instagramez.com fxig.seria.moe',
  ],
  [
    'reddit.com',
    'rxddit.com vxreddit.com redditez.com fxreddit.seria.moe rxyddit.com safereddit.com ' +
      'libreddit.it redlib.catsarch.com teddit.net troddit.com eddrit.com reveddit.com unddit.com',
  ],
  [
    'threads.com',
    'threads.net vxthreads.net vxthreads.com fixthreads.net fixthreads.seria.moe threadsez.com',
  ],
  [
    'bsky.app',
    'fxbsky.app vxbsky.app bskx.app bskyx.app bsyy.app xbsky.app cbsky.app bskyez.com bskye.app deer.social ' +
      'main.bsky.dev staging.bsky.app psky.app blacksky.community zeppelin.social witchsky.app catsky.social',
  ],
  ['pixiv.net', 'phixiv.net ppxiv.net fixiv.net vxpixiv.net'],
  ['facebook.com', 'fb.com facebed.com facebookez.com fxfb.seria.moe facebed.seria.moe'],
  ['tumblr.com', 'tpmblr.com txtumblr.com tumblrez.com'],
  ['bilibili.com', 'vxbilibili.com fxbilibili.seria.moe bilibiliez.com bilibliez.com'],
  ['b23.tv', 'vxb23.tv'],
  ['deviantart.com', 'fxdeviantart.com fixdeviantart.com'],
  ['furaffinity.net', 'xfuraffinity.net fxfuraffinity.net vxfuraffinity.net fxraffinity.net'],
  ['open.spotify.com', 'fxspotify.com fixspotify.com'],
  [
    'youtube.com',
    'koutube.com yout-ube.com yewtu.be inv.nadeko.net invidious.nerdvpn.de piped.video piped.kavin.rocks ' +
      'invidio.us vid.puffyan.us inv.tux.pizza poketube.fun youtubekids.com',
  ],
  ['youtu.be', 'koutu.be'],
  ['twitch.tv', 'fxtwitch.seria.moe fxtwitch.tv'],
  ['imgur.com', 'imgurez.com rimgo.pussthecat.org'],
  ['ptt.cc', 'fxptt.seria.moe'],
  ['snapchat.com', 'snapchatez.com'],
  ['medium.com', 'scribe.rip'],
  ['huggingface.co', 'hf.co hf-mirror.com'],
  ['archiveofourown.org', 'ao3.org archiveofourown.com archiveofourown.net archiveofourown.gay'],
  ['t.me', 'telegram.me telegram.dog'],
  ['vk.com', 'vk.ru vkontakte.ru vxvk.com'],
  ['xiaohongshu.com', 'rednote.com'],
  [
    'github.com',
    'github1s.com github.dev kkgithub.com bgithub.xyz githubbox.com githubfast.com uithub.com gitingest.com',
  ],
  ['zhihu.com', 'fxzhihu.com'],
  ['weibo.com', 'm.weibo.cn'],
  ['note.com', 'note.mu'],
  ['npmjs.com', 'npmjs.org'],
  ['bbc.com', 'bbc.co.uk'],
  ['cnn.com', 'edition.cnn.com lite.cnn.com us.cnn.com m.cnn.com'],
  ['npr.org', 'text.npr.org'],
  ['arxiv.org', 'alphaxiv.org xxx.lanl.gov'],
];

/** Programs that people run under any domain, by the first label of their hosts: `nitter.example.org`. */
const programs: Readonly<Record<string, string>> = {
  nitter: 'x.com',
  proxitok: 'tiktok.com',
  libreddit: 'reddit.com',
  redlib: 'reddit.com',
  teddit: 'reddit.com',
  invidious: 'youtube.com',
  piped: 'youtube.com',
  poketube: 'youtube.com',
  bibliogram: 'instagram.com',
  proxigram: 'instagram.com',
  pixivfe: 'pixiv.net',
  safetwitch: 'twitch.tv',
  rimgo: 'imgur.com',
  quetre: 'quora.com',
  libremdb: 'imdb.com',
  anonymousoverflow: 'stackoverflow.com',
  gothub: 'github.com',
  biblioreads: 'goodreads.com',
};

const sites = new Map(
  otherNames.flatMap(([site, hosts]) => hosts.split(' ').map((host) => [host, site] as const)),
);
/** With the labels that people put before a host of the table. */
const LABELS_AT_MOST = 8;
/** Labels that lead to other pages than the site's own host does: TikTok's short links. */
const KEPT_LABEL = /^(?:vm|vt)\./;

/** The host of the site whose pages a host shows; the host itself for most. It is without `www.`. */
export function siteOfHost(host: string): string {
  const site = siteOf(host);
  if (site === undefined) return host;
  return (site === 'tiktok.com' ? (KEPT_LABEL.exec(host)?.[0] ?? '') : '') + site;
}

function siteOf(host: string): string | undefined {
  // No host of the table has more labels, and a longer name costs no more.
  const labels = host.split('.', LABELS_AT_MOST);
  if (labels.length === LABELS_AT_MOST) return undefined;
  for (let from = 0; from < labels.length; from += 1) {
    const site = sites.get(labels.slice(from).join('.'));
    if (site !== undefined) return site;
  }
  return programs[labels[0]!];
}
