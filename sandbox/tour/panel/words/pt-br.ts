import type { TourWords } from './words.ts';

export const ptBR: TourWords = {
  label: 'O tour',
  button: '🧭 Tour',
  tour: 'Tour',
  'lead.month':
    'Os membros publicam links e votam; o melhor chega à capa. Experimente em {steps} passos.',
  'lead.empty':
    'Você é admin, e o bot acabou de chegar. Nada acontece sozinho aqui: ninguém mais publica nem vota, a não ser que você faça isso como outra pessoa (no topo da página).',
  'lead.links':
    'Você é admin de um servidor com dois meses de links, e o bot acabou de chegar. Nada acontece sozinho aqui: ninguém mais publica nem vota, a não ser que você faça isso como outra pessoa (no topo da página).',
  after:
    'Fim do tour. Tudo continua funcionando: teste o que quiser. Para usar no seu próprio servidor, leia docs/hosting.md (em inglês).',
  webPage: 'A mesma capa na web',
  done: 'feito',
  toDo: 'pendente',
  busy: 'Um momento…',
  show: 'Mostrar',
  showAsModerator: 'Mostrar, como moderador',
  showAsAdmin: 'Mostrar, como admin',
  showAsMember: 'Mostrar, como outro membro',
  'set-up.title': 'Configure o resumo',
  'set-up.text':
    'Clique em “{setUpButton}” na mensagem do bot e depois em “{beginButton}”. Cada linha pode ser mudada.',
  'import.title': 'Comece com os links que já estão aqui',
  'import.text':
    'Clique em “{importButton}” nas boas-vindas do bot e depois em “{beginButton}”. Antes de começar, você vê o que seria importado.',
  'report.title': 'Leia o relatório',
  'report.text':
    'Em instantes o bot diz em {general} o que foi importado e o que ficou de fora, com os dez melhores.',
  'board.title': 'Coloque o mural',
  'board.text':
    'No painel, clique em “{boardButton}” e escolha {frontPage}: ali uma mensagem mostra sempre os dez melhores.',
  'post.title': 'Publique um link',
  'post.text':
    '{post} transforma um link em artigo. Clique em “{run}”; logo ele tem o título e a prévia da página.',
  'vote.title': 'Vote em um artigo',
  'vote.text': 'Clique em 👍 no artigo de outra pessoa. A reação é o voto.',
  'switch.title': 'Mude de ideia',
  'switch.text': 'Clique em 👎 no mesmo artigo: seu voto agora é um 👎.',
  'climb.title': 'Veja um artigo subir',
  'climb.text': 'A capa, ao vivo. Deixe votarem no último artigo até ele liderar.',
  'climb.action': 'Deixar votarem',
  'climb.label': 'A capa, ao vivo',
  'climb.none': 'Nada foi publicado ainda.',
  'climb.few': 'Para subir, um artigo precisa de outro acima dele. Publique dois links antes.',
  'top.title': 'Leia a capa',
  'top.text':
    '{top} mostra os melhores artigos só para você. Os votos fazem subir, o tempo faz descer.',
  'told.title': 'Saiba o que foi do seu',
  'told.text':
    'A primeira resposta a um artigo abre a conversa dele, já com quem o publicou. Lá o bot diz o que já houve sobre o assunto e, uma vez, que ele ganhou ★. Faça alguém responder ao seu e outros votarem.',
  'told.action': 'Deixar responderem e votarem',
  'mine.title': 'Veja o que foi dos seus links',
  'mine.text':
    '{mine} diz até onde cada link seu subiu, que resumo ele abriu e até quando dá para votar. Lá você também o muda ou remove.',
  'new.title': 'Veja o que é novo para você',
  'new.text':
    '{newForMe} mostra o que chegou desde a sua última visita, o melhor primeiro, e tem fim. Fica de fora o que você publicou, votou ou silenciou.',
  'needs-vote.title': 'Seja o primeiro voto',
  'needs-vote.text':
    '{top} com “{needsVote}” mostra o que só quem publicou votou, o mais antigo primeiro.',
  'save.title': 'Salve um link para você',
  'save.text':
    'No menu da mensagem de um artigo, escolha “{saveForMe}”. {saved} mostra o que você salvou, só para você.',
  'mute.title': 'Silencie o que não interessa a você',
  'mute.text':
    'No menu da mensagem de um artigo, escolha “{whyThisRank}” e, abaixo da resposta, em “{muteSelect}”, o site ou o membro. Só as suas próprias listas deixam isso de fora.',
  'flag.title': 'Avise a moderação',
  'flag.text':
    'No menu da mensagem de um artigo, escolha “{flagCommand}” e um motivo. Só a moderação vê quem denunciou; {reports} mostra o que espera por ela.',
  'group.title': 'Mostre um artigo em um segundo canal',
  'group.text': 'Cada canal é um assunto. A moderação pode mostrar um artigo também em outro.',
  'remove.title': 'Acabe com o spam com um formulário',
  'remove.text':
    'No menu da mensagem de um artigo, escolha “{moderateCommand}” e depois “{removeButton}”. O formulário também bloqueia o membro e o site e remove os outros links da pessoa. “{undoButton}” traz tudo de volta.',
  'words.title': 'Deixe palavras de fora',
  'words.text':
    '{block} deixa palavras fora de títulos e comentários, seja qual for a grafia. Pressione “{run}”: depois disso, um link com o título “FR33 N1TRO” é recusado.',
  'words.value': 'free nitro',
  'digest.title': 'Deixe o resumo chegar',
  'digest.text':
    'Uma vez por dia, o melhor é publicado em {frontPage}. Adiante o relógio até amanhã: enquanto isso, membros publicam, e o bot envia em até um minuto.',
  'digest.alone':
    'O resumo chega no horário marcado, com os artigos que receberam voto de alguém além de quem publicou. Não precisa esperar: adiante o relógio. Enquanto isso, ninguém publica.',
  'digest.action': 'Ir para o próximo resumo',
  'digest.none': 'Ainda não há resumo. Um admin configura com {panel} ou {set}.',
  'recount.title': 'Corte a conexão',
  'recount.text':
    'Desconecte o bot do Discord, vote enquanto isso e reconecte: uma recontagem encontra o voto.',
  'recount.cut': 'Cortar a conexão',
  'recount.giveBack': 'Restabelecer a conexão',
  'recount.missed': 'O bot perdeu esse voto. Restabeleça a conexão.',
  'recount.isCut': 'A conexão está cortada. Vote em um artigo agora.',
  'recount.connecting': 'O bot está se reconectando e vai recontar…',
  'feed.title': 'Encontre um link em um feed',
  'feed.text':
    'Um feed enche {rust} de links. Ponha 👍 em um que já tenha um: ele vira artigo, encontrado por quem foi o primeiro, e os dois 👍 são votos.',
  'signs.title': 'Vote como a sua comunidade quiser',
  'signs.text':
    'No painel, “{votesSetting}” permite oferecer só 👍; em “{upSetting}”, digite spark, um emoji deste servidor. Depois publique um link: ele vem com o que você escolheu, e os artigos anteriores ficam como estavam.',
  'check-up.title': 'Veja se está tudo bem',
  'check-up.text': 'Como admin, clique em “{checkUpButton}” no painel.',
  nothingToVote:
    'Não há nada aqui em que você possa votar: publique antes um link como outra pessoa.',
  voteFirst: 'Vote em um artigo antes.',
};
