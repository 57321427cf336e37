-- SPDX-License-Identifier: GPL-2.0-or-later
package body Shapes is
   procedure Grow (L : in out Shape_List) is
   begin
      for I in L'Range loop
         case L (I).K is
            when Point => L (I).Id := L (I).Id + 1;
            when Circle => L (I).Radius := L (I).Radius * 1.0001;
            when Box => L (I).Width := L (I).Width + 1; L (I).Depth := L (I).Depth + 1.0;
         end case;
      end loop;
   end Grow;
   procedure Fill (B : in out Buffer) is
   begin
      for I in B.Data'Range loop
         B.Data (I) := Character'Val ((I * 7) mod 100);
         B.Count := B.Count + 1;
      end loop;
      B.Tail := B.Tail + 1;
   end Fill;
end Shapes;
