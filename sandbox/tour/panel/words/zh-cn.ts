import type { TourWords } from './words.ts';

export const zhCN: TourWords = {
  label: '导览',
  button: '🧭 导览',
  tour: '导览',
  'lead.month': '成员投稿链接并投票，最好的登上头版。来试试吧，一共 {steps} 步。',
  'lead.empty':
    '你是管理员，机器人刚刚加入。这里什么都不会自己发生：只有你在页面上方切换成别的成员，才会有人投稿或投票。',
  'lead.links':
    '你的服务器里有两个月的链接，机器人刚刚加入，你是管理员。这里什么都不会自己发生：只有你在页面上方切换成别的成员，才会有人投稿或投票。',
  after:
    '导览到此结束。这里的一切都会继续运行，随便试试。想装到自己的服务器上，请看 docs/hosting.md（英文）。',
  webPage: '网页版的头版',
  done: '已完成',
  toDo: '待完成',
  busy: '请稍候…',
  show: '带我去',
  showAsModerator: '以版主身份带我去',
  showAsAdmin: '以管理员身份带我去',
  showAsMember: '以另一位成员的身份带我去',
  'set-up.title': '设置精选',
  'set-up.text': '点机器人消息下的“{setUpButton}”，再点“{beginButton}”。每一项都可以更改。',
  'import.title': '从已有的链接开始',
  'import.text':
    '点机器人欢迎消息下的“{importButton}”，再点“{beginButton}”。开始之前你会看到将导入什么。',
  'report.title': '看看结果',
  'report.text': '片刻之后，机器人会在 {general} 说明导入了什么、略过了什么，并列出最好的十篇。',
  'board.title': '放上榜单',
  'board.text':
    '在面板上点“{boardButton}”，选择 {frontPage}：那里会有一条消息，始终显示最好的十篇。',
  'post.title': '投稿一个链接',
  'post.text': '{post} 把链接变成文章。点“{run}”，片刻之后就有网页的标题和预览。',
  'vote.title': '给文章投票',
  'vote.text': '点别人文章下的 👍。这个反应就是你的一票。',
  'switch.title': '改变主意',
  'switch.text': '在同一篇文章上点 👎，你的一票就变成了 👎。',
  'climb.title': '看一篇文章上升',
  'climb.text': '这是实时的头版。让读者给最后一篇文章投票，直到它升到第一。',
  'climb.action': '让他们投票',
  'climb.label': '头版，实时',
  'climb.none': '还没有人投稿。',
  'climb.few': '至少要有两篇文章，才有一篇能往上升。请先投稿两个链接。',
  'top.title': '看看头版',
  'top.text': '{top} 列出最好的文章，只有你能看到。票数让文章上升，时间让它下沉。',
  'told.title': '得知自己的文章怎么样了',
  'told.text':
    '文章收到第一条回复时会开启子区，发布者也在其中。子区以此前同一话题的文章开头；文章获得 ★ 时，机器人会在那里说一次。让别人回复你的文章并投票吧。',
  'told.action': '让他们回复并投票',
  'mine.title': '看看自己的链接怎么样了',
  'mine.text':
    '{mine} 列出你的每个链接最高到过第几、在哪期精选中居首、投票何时结束；也可以在那里修改或移除。',
  'new.title': '看看对你来说的新文章',
  'new.text':
    '{newForMe} 列出你上次查看之后的文章，最好的在前，而且有尽头。你发布、投票或屏蔽过的不在其中。',
  'needs-vote.title': '第一个来评判',
  'needs-vote.text': '在 {top} 中选择“{needsVote}”，会列出只有发布者投过票的文章，最早的在前。',
  'save.title': '为自己保存链接',
  'save.text': '在文章消息的菜单中选择“{saveForMe}”。{saved} 列出你保存的内容，只有你能看到。',
  'mute.title': '屏蔽不感兴趣的内容',
  'mute.text':
    '在文章消息的菜单中选择“{whyThisRank}”，再在回答下方的“{muteSelect}”里选网站或发布者。只有你自己的列表会略去它们。',
  'flag.title': '告诉版主',
  'flag.text':
    '在文章消息的菜单中选择“{flagCommand}”，再选一个理由。只有版主看得到是谁举报的；{reports} 列出等待处理的举报。',
  'group.title': '把文章也列入另一个频道',
  'group.text': '每个频道都是一个主题。版主可以把一篇文章也列入另一个频道。',
  'remove.title': '用一张表单清理垃圾信息',
  'remove.text':
    '在文章消息的菜单中选择“{moderateCommand}”，再选“{removeButton}”。这张表单还可以禁止发布者和网站，并移除此人的其他链接。“{undoButton}”会让一切恢复。',
  'words.title': '不让某些词语出现',
  'words.text':
    '{block} 让某些词语不能出现在标题和评论里，无论怎么写。点“{run}”之后，标题为“FR33 N1TRO”的链接会被拒绝。',
  'words.value': 'free nitro',
  'digest.title': '等精选发布',
  'digest.text':
    '每天一次，最好的文章会发到 {frontPage}。把时钟拨到明天的发布时间：其间成员照常投稿，到点后一分钟之内机器人就会发布。',
  'digest.alone':
    '精选到点发布，列出投稿人之外还有人投票的文章。不用等：拨动时钟即可。其间不会有人投稿。',
  'digest.action': '前往下一期精选',
  'digest.none': '还没有精选。管理员可以用 {panel} 或 {set} 来设置。',
  'recount.title': '断开连接',
  'recount.text': '切断机器人与 Discord 的连接，其间投一票，再恢复连接：重新计票会找回这一票。',
  'recount.cut': '切断连接',
  'recount.giveBack': '恢复连接',
  'recount.missed': '机器人错过了这一票。请恢复连接。',
  'recount.isCut': '连接已切断。现在给一篇文章投票吧。',
  'recount.connecting': '机器人正在重新连接，随后会重新计票…',
  'feed.title': '在订阅源里发现链接',
  'feed.text':
    '订阅源不断向 {rust} 发送链接。给已有一个 👍 的消息再点 👍：它就会成为文章，由第一位点 👍 的成员发现，两个 👍 都计为票数。',
  'signs.title': '按社区的喜好投票',
  'signs.text':
    '在面板上，“{votesSetting}”可以只放 👍；在“{upSetting}”里输入 spark，这是本服务器的表情。然后投稿一个链接：它带有你选的反应，之前的文章保持不变。',
  'check-up.title': '检查一下',
  'check-up.text': '以管理员身份在面板上点“{checkUpButton}”，看看一切是否正常。',
  nothingToVote: '这里还没有你能投票的文章：先用别人的身份投一篇。',
  voteFirst: '请先给一篇文章投票。',
};
