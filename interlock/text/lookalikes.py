"""Characters that look like a Latin letter or a digit, by what they look like; nothing else is in it.

The single characters that Unicode's confusables (UTS 39) give for ASCII letters and digits, without those
that compatibility decomposition folds already and without vertical bars; letters with a stroke or hook under the bare
letter; and small capitals, with the Cyrillic and Greek lower-case letters of that form, which UTS 39 keeps apart.
Data derived from confusables.txt, copyright Unicode, Inc., under the Unicode License v3 (SPDX: Unicode-3.0).
"""

from collections.abc import Mapping

LOOKALIKES: Mapping[str, str] = {
    "2": "\u01a7\u03e8\u14bf\ua644\ua6ef\ua75a",
    "3": "\u01b7\u021c\u0417\u04e0\u2ccc\ua76a\ua7ab\U000118ca\U00016f3b\U0001d206",
    "4": "\u13ce\U000118af",
    "5": "\u01bc\U000118bb",
    "6": "\u0431\u13ee\u2cd2\U000118d5",
    "7": "\U000104d2\U000118c6\U0001d212",
    "8": "\u0222\u0223\u09ea\u0a6a\u0b03\U0001031a\U0001e8cb",
    "9": "\u09ed\u0a67\u0b68\u0d6d\u2cca\ua76e\U000118ac\U000118cc\U000118d6",
    "A": "\u0391\u0410\u13aa\u15c5\ua4ee\U000102a0\U00016f40",
    "B": "\u0392\u0412\u13f4\u15f7\ua4d0\ua7b4\U00010282\U000102a1\U00010301",
    "C": "\u0421\u04aa\u13df\u2ca4\ua4da\U000102a2\U00010302\U00010415\U0001051c\U000118e9\U000118f2\U0001f74c",
    "D": "\u00d0\u0110\u0189\u13a0\u15de\u15ea\ua4d3",
    "E": "\u0246\u0395\u0415\u13ac\u22ff\u2d39\ua4f0\U00010286\U000118a6\U000118ae",
    "F": "\u0191\u03dc\u15b4\ua4dd\ua798\U00010287\U000102a5\U00010525\U000118a2\U000118c2\U0001d213",
    "G": "\u01e4\u050c\u13c0\u13f3\ua4d6",
    "H": "\u0126\u0397\u041d\u04a2\u04c7\u04c9\u13bb\u157c\u2c67\u2c8e\ua4e7\U000102cf",
    "J": "\u0248\u037f\u0408\u13ab\u148d\ua4d9\ua7b2",
    "K": "\u039a\u041a\u049a\u049e\u13e6\u16d5\u2c69\u2c94\ua4d7\ua740\U00010518",
    "L": "\u0141\u13de\u14aa\u2cd0\ua4e1\U0001041b\U00010526\U000118a3\U000118b2\U00016f16\U0001d22a",
    "M": "\u039c\u03fa\u041c\u04cd\u13b7\u15f0\u16d6\u2c98\ua4df\U000102b0\U00010311",
    "N": "\u019d\u039d\u2c9a\ua4e0\U00010513",
    "O": (
        "\u00d8\u019f\u01fe\u0398\u039f\u03b8\u041e\u0472\u04e8\u0555\u07c0\u09e6\u0b20\u0b66\u12d0\u13be\u13eb"
        "\u2c9e\u2d31\u2d41\u2d54\u3007\ua4f3\ua74a\U00010292\U000102ab\U00010404\U000104c2\U00010516\U000114d0"
        "\U000118b5\U000118e0"
    ),
    "P": "\u03a1\u0420\u13e2\u146d\u2ca2\ua4d1\U00010295",
    "Q": "\u2d55",
    "R": "\u01a6\u13a1\u13d2\u1587\ua4e3\U000104b4\U00016f35\U0001d216",
    "S": "\u0405\u054f\u13d5\u13da\ua4e2\U00010296\U00010420\U00016f3a",
    "T": (
        "\u0166\u01ae\u023e\u03a4\u0422\u04ac\u13a2\u22a4\u27d9\u2ca6\ua4d4\U00010297\U000102b1\U00010315"
        "\U000118bc\U00016f0a\U0001f768"
    ),
    "U": "\u0244\u054d\u1200\u13cc\u144c\u222a\u22c3\ua4f4\U000104ce\U000118b8\U00016f42",
    "V": "\u0474\u0667\u06f7\u13d9\u142f\u2d38\ua4e6\ua6df\U0001051d\U000118a0\U00016f08\U0001d20d",
    "W": "\u051c\u13b3\u13d4\ua4ea\U000118e6\U000118ef",
    "X": (
        "\u03a7\u0425\u04b2\u166d\u16b7\u2573\u2cac\u2d5d\ua4eb\ua7b3\U00010290\U000102b4\U00010317\U00010322"
        "\U00010527\U000118ec"
    ),
    "Y": "\u024e\u03a5\u0423\u04ae\u04b0\u13a9\u13bd\u2ca8\ua4ec\U000102b2\U000118a4\U00016f43",
    "Z": "\u01b5\u0224\u0396\u13c3\ua4dc\U000102f5\U000118a9\U000118e5",
    "a": "\u0251\u03b1\u0430\u1d00\u237a",
    "b": "\u0180\u0182\u0183\u0184\u0253\u0299\u0411\u042c\u0432\u0462\u0463\u048c\u048d\u13cf\u1472\u1473\u15af",
    "c": "\u023c\u0441\u04ab\u1d04\u2ca5\uabaf\U0001043d",
    "d": "\u0111\u018c\u0256\u0257\u0501\u13e7\u146f\u1d05\ua4d2",
    "e": "\u0247\u0435\u04bd\u04bf\u1d07\u212e\uab32",
    "f": "\u0192\u0584\u1d6e\u1e9d\ua799\uab35",
    "g": "\u018d\u01e5\u0260\u0261\u0262\u0581\u1d83",
    "h": "\u0127\u0266\u029c\u043d\u045b\u04bb\u0570\u13c2\u13f2\ua695",
    "i": "\u0131\u0268\u0269\u026a\u03b9\u0456\u04cf\u13a5\u1d7b\u1d7c\u2373\ua647\uab75\U000118c3",
    "j": "\u0249\u03f3\u0458\u1d0a",
    "k": "\u0199\u03ba\u043a\u1d0b",
    "l": (
        "\u0142\u0196\u0197\u019a\u026b\u026d\u029f\u0399\u0406\u04c0\u05d5\u05df\u0627\u0661\u06f1\u16c1\u2c92"
        "\u2d4f\ua4f2\U0001028a\U00010309\U00010320\U00016f28\U0001e8c7"
    ),
    "m": "\u043c\u1d0d",
    "n": "\u019e\u0273\u0274\u03b7\u043f\u0578\u057c\u1d70",
    "o": (
        "\u00f8\u0275\u03bf\u03c3\u043e\u0473\u04e9\u0585\u05e1\u0647\u0665\u06be\u06c1\u06d5\u06f5\u0966\u0a66"
        "\u0ae6\u0be6\u0c02\u0c66\u0c82\u0ce6\u0d02\u0d20\u0d66\u0d82\u0e50\u0ed0\u101d\u1040\u10ff\u1d0f\u1d11"
        "\u2c9f\ua74b\uab3d\uab3e\uab74\uab8e\uabbb\U0001042c\U000104ea\U000118c8\U000118d7"
    ),
    "p": "\u01a5\u03c1\u0440\u1d18\u1d7d\u2374\u2ca3",
    "q": "\u02a0\u051b\u0563\u0566",
    "r": "\u024d\u027c\u027d\u0280\u0433\u0493\u1d26\u1d72\u2c85\uab47\uab48\uab81",
    "s": "\u01bd\u0282\u0455\u1d74\ua731\uabaa\U00010448\U000118c1",
    "t": "\u0167\u01ad\u03c4\u0442\u1d1b\u1d75",
    "u": "\u028b\u03c5\u057d\u1d1c\u1d7e\ua79f\uab4e\uab52\uab9c\U000104f6\U000118d8",
    "v": "\u03bd\u0475\u05d8\u1d20\u2228\u22c1\uaba9\U00011706\U000118c0",
    "w": "\u026f\u0461\u047d\u051d\u0561\u1d21\ua761\uab83\U000114c5\U0001170a\U0001170e\U0001170f",
    "x": "\u00d7\u0445\u1541\u157d\u166e\u292b\u292c\u2a2f",
    "y": "\u01b4\u024f\u0263\u028f\u03b3\u0443\u04af\u04b1\u10e7\u1d8c\u1eff\uab5a\U000118dc",
    "z": "\u01b6\u0225\u0290\u1d22\u1d76\uab93\U000118c4",
}
"""What it looks like, to the characters that look so."""
