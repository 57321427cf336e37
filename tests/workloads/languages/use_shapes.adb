-- SPDX-License-Identifier: GPL-2.0-or-later
with Shapes; use Shapes;
with Ada.Text_IO;
procedure Use_Shapes is
   type P is access Shape_List;
   L : P := new Shape_List (1 .. 3000);
   B : Buffer (4000);
begin
   for I in L'Range loop
      case I mod 3 is
         when 0 => L (I) := (K => Point, Id => I);
         when 1 => L (I) := (K => Circle, Id => I, Radius => 2.0);
         when others => L (I) := (K => Box, Id => I, Width => 1, Height => 2, Depth => 4.0);
      end case;
   end loop;
   for R in 1 .. 8000 loop
      Grow (L.all);
      Fill (B);
   end loop;
   Ada.Text_IO.Put_Line (Integer'Image (B.Tail));
end Use_Shapes;
