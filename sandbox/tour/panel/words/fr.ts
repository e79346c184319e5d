import type { TourWords } from './words.ts';

export const fr: TourWords = {
  label: 'La visite',
  button: '🧭 Visite',
  tour: 'Visite',
  'lead.month':
    'Les membres publient des liens et votent ; les meilleurs arrivent à la une. Essayez en {steps} étapes.',
  'lead.empty':
    'Vous êtes admin, et le bot vient d’arriver. Ici, rien ne se passe tout seul : personne d’autre ne publie ni ne vote, sauf si vous le faites à la place d’un autre membre (en haut de la page).',
  'lead.links':
    'Vous êtes admin d’un serveur avec deux mois de liens, et le bot vient d’arriver. Ici, rien ne se passe tout seul : personne d’autre ne publie ni ne vote, sauf si vous le faites à la place d’un autre membre (en haut de la page).',
  after:
    'La visite est finie. Tout continue de marcher : essayez ce que vous voulez. Pour l’avoir sur votre serveur, voyez docs/hosting.md (en anglais).',
  webPage: 'La même une sur le web',
  done: 'fait',
  toDo: 'à faire',
  busy: 'Un instant…',
  show: 'Montrez-moi',
  showAsModerator: 'Montrez-moi, côté modération',
  showAsAdmin: 'Montrez-moi, côté admin',
  showAsMember: 'Montrez-moi, côté membre',
  'set-up.title': 'Configurez la revue',
  'set-up.text':
    'Sous le message du bot, cliquez sur « {setUpButton} », puis sur « {beginButton} ». Chaque ligne peut être changée.',
  'import.title': 'Commencez par les liens déjà là',
  'import.text':
    'Sous le message d’accueil du bot, cliquez sur « {importButton} », puis « {beginButton} ». Vous voyez d’abord ce qui serait importé.',
  'report.title': 'Lisez le compte rendu',
  'report.text':
    'Dans un instant, le bot dit dans {general} ce qui a été importé ou laissé de côté, avec les dix meilleurs.',
  'board.title': 'Affichez le tableau',
  'board.text':
    'Dans le panneau, cliquez sur « {boardButton} » et choisissez {frontPage} : un message y montre toujours les dix meilleurs.',
  'post.title': 'Publiez un lien',
  'post.text':
    '{post} fait d’un lien un article. Cliquez sur « {run} » ; un instant après, il a le titre et l’aperçu de la page.',
  'vote.title': 'Votez pour un article',
  'vote.text': 'Cliquez sur 👍 sous l’article de quelqu’un d’autre. La réaction est le vote.',
  'switch.title': 'Changez d’avis',
  'switch.text': 'Cliquez sur 👎 sous le même article : votre vote est maintenant un 👎.',
  'climb.title': 'Voyez monter un article',
  'climb.text':
    'La une, en direct. Faites voter pour son dernier article, jusqu’à la première place.',
  'climb.action': 'Faire voter',
  'climb.label': 'La une, en direct',
  'climb.none': 'Rien n’est encore publié.',
  'climb.few':
    'Pour monter, un article doit en avoir un autre au-dessus. Publiez d’abord deux liens.',
  'top.title': 'Lisez la une',
  'top.text':
    '{top} montre les meilleurs articles, à vous seulement. Les votes les font monter, le temps les fait descendre.',
  'told.title': 'Apprenez ce que devient le vôtre',
  'told.text':
    'La première réponse à un article ouvre son fil, et la personne qui l’a publié s’y trouve. Le bot y dit ce qu’il y avait avant sur le sujet, puis quand il reçoit ★. Faites répondre au vôtre et faites voter.',
  'told.action': 'Faire répondre et voter',
  'mine.title': 'Voyez ce que sont devenus vos liens',
  'mine.text':
    '{mine} dit de chacun de vos liens jusqu’où il est monté, de quelle revue il était en tête et jusqu’à quand on peut voter. Vous l’y modifiez ou le retirez aussi.',
  'new.title': 'Voyez ce qui est nouveau pour vous',
  'new.text':
    '{newForMe} montre ce qui est arrivé depuis votre dernier passage, le meilleur d’abord, et s’arrête là. Ce que vous avez publié, voté ou masqué n’y est pas.',
  'needs-vote.title': 'Jugez avant tout le monde',
  'needs-vote.text':
    '{top} avec « {needsVote} » montre ce pour quoi personne d’autre n’a encore voté, le plus ancien d’abord.',
  'save.title': 'Gardez un lien pour vous',
  'save.text':
    'Dans le menu du message d’un article, choisissez « {saveForMe} ». {saved} montre ce que vous avez gardé, à vous seulement.',
  'mute.title': 'Masquez ce qui ne vous intéresse pas',
  'mute.text':
    'Dans le menu du message d’un article, choisissez « {whyThisRank} » puis, sous la réponse, dans « {muteSelect} », le site ou le membre. Seules vos propres listes l’omettent.',
  'flag.title': 'Prévenez la modération',
  'flag.text':
    'Dans le menu du message d’un article, choisissez « {flagCommand} » et un motif. Seule la modération voit qui a signalé ; {reports} montre ce qui l’attend.',
  'group.title': 'Placez un article dans un second salon',
  'group.text':
    'Chaque salon est un sujet. La modération peut placer un article aussi dans un autre.',
  'remove.title': 'Mettez fin au spam avec un formulaire',
  'remove.text':
    'Dans le menu du message d’un article, choisissez « {moderateCommand} » puis « {removeButton} ». Le formulaire bloque aussi le membre et le site et retire ses autres liens. « {undoButton} » ramène tout.',
  'words.title': 'Écartez des mots',
  'words.text':
    '{block} écarte des mots des titres et des commentaires, quelle que soit leur graphie. Appuyez sur « {run} » : un lien intitulé « FR33 N1TRO » est alors refusé.',
  'words.value': 'free nitro',
  'digest.title': 'Faites venir la revue',
  'digest.text':
    'Une fois par jour, le meilleur arrive dans {frontPage}. Avancez l’horloge jusqu’à la prochaine : entre-temps, les membres publient, et le bot envoie la revue dans la minute.',
  'digest.alone':
    'La revue vient à son heure, avec ce qui a reçu un vote d’une autre personne. Inutile d’attendre : avancez l’horloge. Entre-temps, personne ne publie.',
  'digest.action': 'Aller à la prochaine revue',
  'digest.none': 'Il n’y a pas encore de revue. Un admin la configure avec {panel} ou {set}.',
  'recount.title': 'Coupez la connexion',
  'recount.text':
    'Coupez le bot de Discord, votez entre-temps, puis reconnectez-le : un recomptage retrouve le vote.',
  'recount.cut': 'Couper la connexion',
  'recount.giveBack': 'Rétablir la connexion',
  'recount.missed': 'Le bot a manqué ce vote. Rétablissez la connexion.',
  'recount.isCut': 'La connexion est coupée. Votez maintenant pour un article.',
  'recount.connecting': 'Le bot se reconnecte et va recompter…',
  'feed.title': 'Trouvez un lien dans un flux',
  'feed.text':
    'Un flux remplit {rust} de liens. Mettez 👍 à l’un de ceux qui en ont déjà un : il devient un article, trouvé par la première personne, et les deux 👍 sont des votes.',
  'signs.title': 'Votez comme votre communauté le souhaite',
  'signs.text':
    'Dans le panneau, « {votesSetting} » permet de proposer 👍 seul ; dans « {upSetting} », saisissez spark, un émoji de ce serveur. Publiez ensuite un lien : il porte votre choix, et les articles précédents gardent le leur.',
  'check-up.title': 'Vérifiez que tout va bien',
  'check-up.text': 'Côté admin, cliquez sur « {checkUpButton} » dans le panneau.',
  nothingToVote:
    'Il n’y a rien ici sur quoi voter : publiez d’abord un lien à la place de quelqu’un d’autre.',
  voteFirst: 'Votez d’abord pour un article.',
};
