"""Words that say nothing beside others: a query is searched for them only where it holds no other word.

The lists are short, so that commands stay words.
"""

_RUSSIAN = """
а без более бы был была были было быть в вам вас ведь во вот все всего всех вы где да даже для до его ее
если есть еще же за здесь и из или им их к как ко когда который которая которое которые которого которой
которых ли либо лишь между меня мне может мы на над надо нас не него нее нет ни них но о об однако он она
они оно от очень по под после потом при про с сам себя со так также такой такая такие такое там то того
тоже той только том тот ту тут ты у уже чего чем что чтобы чье эта эти это этого этой этом этот этих я
"""
_ENGLISH = """
a about an and are as at be been being but by can could did do does for from had has have he her his how i
if in into is it its may me might must my of on or our shall she s should so some such t than that the their
them then there these they this those to us was we were what when where which while who whose will with
would you your
"""

STOPS = frozenset((_RUSSIAN + _ENGLISH).split())
